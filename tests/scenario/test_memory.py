"""Memory, instructions and registers: what only some adapters can do, and says so with the others."""

import base64
import os

from support.matrix import JAVASCRIPT, Cells, every_adapter
from support.scenario import check, contains, equal, lacks, native, state


def read(t, reference, count, **more):
    result = t.good("dap_read_memory", memory_reference=reference, count=count, **more)
    return result, base64.b64decode(result["memory"]["data"])


def at_cost(t, target):
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000), "stopped")


@every_adapter
def test_memory(t, target):
    # codelldb told no place of a value in memory before we said that we know what to do with one (supportsMemoryReferences).
    at_cost(t, target)
    with Cells(target.adapter) as cells:
        with cells.cell("read memory"):
            if target.language is JAVASCRIPT:
                equal(read(t, "new Uint8Array([97, 98, 99]).buffer", 3)[1], b"abc", "a buffer")
            else:
                result, seen = read(t, "item", 16)
                equal(seen[8:], bytes([2, 0, 0, 0, 3, 0, 0, 0]), "price and quantity of what the pointer points to", result)
                equal(result["memory"]["bytes_read"], 16, "how many")
                contains(result.text, " 02 00 00 00 03 00 00 00 ")
                equal(read(t, "item->name", 6)[1], b"apple\0", "a pointer to characters leads to them")
                equal(read(t, "&item->qty", 4)[1], bytes([3, 0, 0, 0]), "an address")
                equal(read(t, "item->qty", 4)[1], bytes([3, 0, 0, 0]), "a value that is no pointer: where it is")
                equal(read(t, result["memory"]["address"], 4, offset=8)[1], bytes([2, 0, 0, 0]), "by address and offset")
                equal(read(t, "&item->qty", 8, offset=-4)[1], bytes([2, 0, 0, 0, 3, 0, 0, 0]), "backwards")
        with cells.cell("write memory"):
            if target.language is JAVASCRIPT:
                t.good("dap_evaluate", expression="globalThis.kept = new Uint8Array([97, 98, 99]).buffer")
                t.good("dap_write_memory", memory_reference="kept", hex="7a", offset=1)
                equal(read(t, "kept", 3)[1], b"azc", "written")
            else:
                result = t.good("dap_write_memory", memory_reference="&item->price", hex="09 00 00 00")
                equal(result["written"]["bytes_written"], 4, "how many", result)
                equal(t.good("dap_evaluate", expression="item->price")["evaluation"]["result"], "9", "the program sees it")
                t.good("dap_write_memory", memory_reference="&item->price", data=base64.b64encode(bytes([2, 0, 0, 0])).decode())
                equal(read(t, "&item->price", 1)[1], b"\2", "put back")


@every_adapter
def test_instructions(t, target):
    # gdb takes an instructionOffset of -2 for the last two of a list: the present instruction was not among those shown.
    at_cost(t, target)
    with Cells(target.adapter) as cells:
        with cells.cell("disassemble"):
            result = t.good("dap_disassemble")
            rows = result["instructions"]
            equal(len(rows), 24, "how many", result)
            marked = [index for index, row in enumerate(rows) if row.get("current")]
            equal(len(marked), 1, "one row is where the frame stands", result)
            check(marked[0] > 0, "some are before it", result)
            row = rows[marked[0]]
            equal((os.path.basename(row["source_path"]), row["line"]), (os.path.basename(target.source("cart")),
                                                                        target.line("cart", "cost")), "its line", result)
            contains(result.text, "=> %s" % row["address"])
            contains(result.text, "| %s" % source_line(target, "cost"))
            addresses = [int(row["address"], 16) for row in rows]
            equal(addresses, sorted(set(addresses)), "in order", result)
            rows = t.good("dap_disassemble", memory_reference=row["address"], count=3)["instructions"]
            equal([int(row["address"], 16) for row in rows], addresses[marked[0]:marked[0] + 3], "from an address")
            rows = t.good("dap_disassemble", count=3)["instructions"]
            equal([row.get("current", False) for row in rows], [False, True, False], "few, around the present one")
            caller = t.good("dap_stack")["stack_frames"][1]
            rows = t.good("dap_disassemble", frame_id=caller["id"])["instructions"]
            current = [row for row in rows if row.get("current")]
            check(current and current[0]["line"] == caller["line"], "the caller's place", (rows, caller))
        with cells.cell("registers"):
            result = t.good("dap_registers")
            values = {row["name"]: row["value"] for row in result["registers"]}
            check("rip" in values and "rsp" in values, "the general ones", result)
            check(int(values["rsp"].split()[0], 16) > 4096, "a place in hexadecimal", result)
            check(result["registers_left_out"] > 0, "the others are left out and counted", result)
            result = t.good("dap_registers", filter="r1")
            check(all("r1" in row["name"] for row in result["registers"]) and result["registers"], "a filter", result)
            contains(t.good("dap_registers", filter="nonsense").text, "none of")


def source_line(target, mark):
    with open(target.source("cart")) as file:
        return file.read().split("\n")[target.line("cart", mark) - 1].strip()


def test_unreadable_memory(t):
    # gdb refuses a whole range of which the end cannot be read, and a caller learns nothing of the part that can.
    target = t.target("gdb")
    at_cost(t, target)
    stack = int(read(t, "item", 1)[0]["memory"]["address"], 16)
    pages = [line.split() for line in open("/proc/%s/maps" % debuggee(target)) if "[stack]" in line]
    end = int(pages[0][0].split("-")[1], 16)
    check(stack < end, "the stack holds it")
    result, seen = read(t, hex(end - 5000), 9000)
    equal(len(seen), 5000, "up to the end of the stack", result)
    contains(result.head, "5,000 of 9,000 bytes")
    contains(result.head, "Cannot access memory")
    contains(t.bad("dap_read_memory", memory_reference="0x10", count=64), "none of the 64 bytes at 0x10 could be read")
    contains(t.bad("dap_read_memory", memory_reference="nonsense"), "nonsense")
    contains(t.bad("dap_read_memory", memory_reference="item", count=65537), "/count")
    contains(t.bad("dap_write_memory", memory_reference="item", hex="0 7"), "two hexadecimal digits")
    contains(t.bad("dap_write_memory", memory_reference="item", data="%%%"), "/data: is no base64")
    contains(t.bad("dap_write_memory", memory_reference="item"), "hex")
    contains(t.bad("dap_write_memory", memory_reference="0x10", hex="07"), "Cannot access memory")
    contains(t.bad("dap_disassemble", memory_reference="0x10"), "Cannot access memory")
    contains(t.bad("dap_registers", frame_id=99), "frame_id 99 was never given out")
    old = t.good("dap_stack")["stack_frames"][0]["id"]
    t.good("dap_next")
    contains(t.bad("dap_registers", frame_id=old), "belongs to stop 1")
    contains(t.bad("dap_disassemble", frame_id=old), "belongs to stop 1")


def debuggee(target):
    """The process whose program it is."""
    program = os.path.realpath(target.program("cart"))
    return next(pid for pid in os.listdir("/proc") if pid.isdigit() and os.path.exists("/proc/%s/exe" % pid)
                and os.path.realpath("/proc/%s/exe" % pid) == program)


def test_not_claimed(t):
    # A request that an adapter does not claim is never sent: some never answer it, and the caller waits in vain.
    t._dapple = t.start("--tools", "full")
    t.fake_stopped()
    for tool, capability in (("dap_read_memory", "supportsReadMemoryRequest"), ("dap_write_memory", "supportsWriteMemoryRequest"),
                             ("dap_disassemble", "supportsDisassembleRequest")):
        arguments = {} if tool == "dap_disassemble" else {"memory_reference": "0x1000"}
        if tool == "dap_write_memory":
            arguments["hex"] = "00"
        contains(t.bad(tool, **arguments), "it does not claim " + capability)
    lacks(" ".join(t.fake.commands()), "Memory")
    lacks(" ".join(t.fake.commands()), "disassemble")


def test_memory_answers(t):
    # Answers as no real adapter gives them: no body, no base64, more than was asked for, fewer bytes and the count of those
    # that follow.
    t._dapple = t.start("--tools", "full")
    answers = [{"address": "0x1000", "data": "AAECAwQFBgc="}, {"address": "0x1000", "data": "AAEC", "unreadableBytes": 5}, {},
               {"address": "0x1000", "data": "*"}]
    t.fake_stopped(capabilities={"supportsReadMemoryRequest": True, "supportsWriteMemoryRequest": True},
                   on={"readMemory": [[{"respond": answer}] for answer in answers],
                       "writeMemory": [[{"respond": {"bytesWritten": 1, "offset": 2}}], [{"respond": {}}]]})
    equal(read(t, "0x1000", 4)[1], bytes(range(4)), "no more than asked for")
    result, seen = read(t, "0x1000", 8)
    equal((seen, result["memory"]["unreadable_bytes"]), (bytes(range(3)), 5), "a part", result)
    contains(result.head, "3 of 8 bytes at 0x1000; the 5 bytes after them cannot be read")
    contains(t.bad("dap_read_memory", memory_reference="4096"), "none of the 128 bytes at 4096 could be read")
    contains(t.bad("dap_read_memory", memory_reference="0x1000"), "holds no base64")
    result = t.good("dap_write_memory", memory_reference="0x1000", hex="010203", allow_partial=True)
    contains(result.head, "Written: 1 of 3 bytes at 0x1000 offset 2")
    result = t.good("dap_write_memory", memory_reference="0x1000", hex="010203", allow_partial=True)
    check("bytes_written" not in result["written"], "nothing is invented", result)


@native
def test_frames_and_sessions(t, target):
    # What is read of a caller's frame, in a session that is not the main one: a name of the innermost frame was taken for
    # the caller's.
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000, session="other"), "stopped")
    caller = t.good("dap_stack", session="other")["stack_frames"][1]
    where = {"session": "other", "frame_id": caller["id"]}
    if target.adapter == "gdb":
        result = t.good("dap_read_memory", memory_reference="items", count=16, **where)
        equal(base64.b64decode(result["memory"]["data"])[8:], bytes([2, 0, 0, 0, 3, 0, 0, 0]), "the caller's variable", result)
        contains(t.bad("dap_read_memory", memory_reference="items", count=16, session="other"), "items")
        t.good("dap_write_memory", memory_reference="&items[1].price", hex="08 00 00 00", **where)
        equal(t.good("dap_evaluate", expression="items[1].price", **where)["evaluation"]["result"], "8", "written there")
    mine = {row["name"]: row["value"].split()[0] for row in t.good("dap_registers", session="other")["registers"]}
    callers = {row["name"]: row["value"].split()[0] for row in t.good("dap_registers", **where)["registers"]}
    check(mine["rip"] != callers["rip"], "each frame has its own", (mine, callers))
    rows = t.good("dap_registers", session="other", group="all" if target.adapter == "gdb" else "general")["registers"]
    check(len(rows) > len(mine), "all of them", rows)
    contains(t.bad("dap_registers", session="other", group="nonsense"), "/group: ")
    here = t.good("dap_disassemble", count=4, instruction_offset=-1, resolve_symbols=False, **where)
    equal([row.get("current", False) for row in here["instructions"]], [False, True, False, False], "one before", here)
    address = here["instructions"][1]["address"]
    size = int(here["instructions"][2]["address"], 16) - int(address, 16)
    next_one = t.good("dap_disassemble", session="other", memory_reference=address, offset=size, count=1)["instructions"]
    equal(int(next_one[0]["address"], 16), int(address, 16) + size, "bytes from there")
    t.good("dap_modules", session="other")
    t.good("dap_source", session="other")
    contains(t.good("dap_output", session="other").head, "Output: ")
    t.good("dap_request", session="other", command="threads")
