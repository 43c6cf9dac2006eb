"""What the program sees of its arguments, folder and environment."""
import os
import sys

print(sys.argv[1:])
print(os.getcwd())
print(os.environ.get("DAPPLE_ADDED"), os.environ.get("DAPPLE_REMOVED"))
