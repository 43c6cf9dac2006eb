"""A child that leaves by an exception of its own, in code without a file; the program goes on."""
import subprocess
import sys

print("child", subprocess.call([sys.executable, "-c", "raise ValueError('of the child')"]))
