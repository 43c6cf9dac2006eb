"""What Dapple wrote to adapters, read back from recordings and judged by the DAP schema.

The schema leaves its objects open, so a misspelled member would pass: members that the schema does not know are faults too, except
in `launch` and `attach`, whose arguments are the adapter's own.
"""

import json
import os
import re

import jsonschema

SCHEMA = os.path.join(os.path.dirname(__file__), "..", "schema", "debugAdapterProtocol.json")
FREE = {"launch", "attach"}
OWN = {"setDebuggerProperty"}  # of an adapter, behind a capability of its own that it claims
HEADER = re.compile(rb"Content-Length: (0|[1-9][0-9]*)\r\n\r\n")


class Schema:
    def __init__(self):
        with open(SCHEMA) as file:
            self.document = json.load(file)
        self.definitions = self.document["definitions"]
        # Whatever is a launch's arguments is an attach's too, as far as the schema goes: "one of them" could never be.
        again = self.definitions["RestartArguments"]["properties"]["arguments"]
        again["anyOf"] = again.pop("oneOf")
        self.resolver = jsonschema.RefResolver("", self.document)
        self.validators = {}
        self.by_command = {}
        for name, definition in self.definitions.items():
            for part in definition.get("allOf", []):
                commands = part.get("properties", {}).get("command", {}).get("enum")
                if name.endswith("Request") and commands and len(commands) == 1:
                    self.by_command[commands[0]] = name

    def validator(self, name):
        if name not in self.validators:
            self.validators[name] = jsonschema.Draft4Validator({"$ref": "#/definitions/" + name}, resolver=self.resolver)
        return self.validators[name]

    def faults(self, message):
        """Sentences; empty when the message is good."""
        kind = message.get("type")
        if kind == "request":
            command = message.get("command")
            name = self.by_command.get(command)
            if name is None and command in OWN:
                return self.errors("Request", message)
            if name is None:
                return ["unknown command %r" % command]
            return self.errors(name, message) + ([] if command in FREE else self.unknown_members(name, message, "arguments"))
        if kind == "response":
            name = self.by_command.get(message.get("command"), "Request")[:-len("Request")] + "Response"
            if not message.get("success"):
                name = "ErrorResponse"
            return self.errors(name if name in self.definitions else "Response", message)
        return ["a client does not send type %r" % kind]

    def errors(self, name, message):
        if message.get("request_seq") == 0:
            message = dict(message, request_seq=1)  # the adapter's number, which it has to get back as it is
        return ["%s at /%s: %s" % (name, "/".join(map(str, error.absolute_path)), error.message[:300])
                for error in self.validator(name).iter_errors(message)]

    def unknown_members(self, name, message, member):
        for part in self.definitions[name].get("allOf", []):
            declared = part.get("properties", {}).get(member)
            if declared and member in message:
                return self.unknown(declared, message[member], "/" + member)
        return []

    def unknown(self, schema, value, path):
        schema = self.resolve(schema)
        if isinstance(value, list) and "items" in schema:
            return [fault for index, item in enumerate(value) for fault in self.unknown(schema["items"], item,
                                                                                        "%s/%d" % (path, index))]
        if not isinstance(value, dict) or "properties" not in schema:
            return []
        faults = ["%s/%s is no member that the protocol knows" % (path, key) for key in value if key not in schema["properties"]]
        for key, child in schema["properties"].items():
            if key in value:
                faults += self.unknown(child, value[key], path + "/" + key)
        return faults

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
        return schema


def split_frames(data):
    """(messages, faults) of what a client wrote. The last frame may be cut off: a killed Dapple cannot finish it."""
    messages, faults, at = [], [], 0
    while at < len(data):
        match = HEADER.match(data, at)
        if match is None:
            if b"\r\n\r\n" in data[at:at + 200]:
                faults.append("bad frame header: %r" % data[at:at + 80])
            break
        body = data[match.end():match.end() + int(match.group(1))]
        at = match.end() + int(match.group(1))
        if at > len(data):
            break
        try:
            messages.append(json.loads(body.decode("utf-8")))
        except ValueError as error:
            faults.append("bad frame body (%s): %r" % (error, body[:200]))
    return messages, faults


ADAPTER_HEADER = re.compile(rb"Content-Length: *([0-9]+)\r?\n(?:[A-Za-z-]+:[^\n]*\n)*\r?\n", re.IGNORECASE)


def adapter_messages(data):
    """What an adapter wrote, as far as it can be read: fakes write rubbish on purpose."""
    at = 0
    while True:
        match = ADAPTER_HEADER.search(data, at)
        if match is None:
            return
        at = match.end() + int(match.group(1))
        try:
            message = json.loads(data[match.end():at].decode("utf-8"))
        except (ValueError, RecursionError):
            at = match.end()
            continue
        if isinstance(message, dict):
            yield message


def members_of(arguments, before):
    """"setBreakpoints.breakpoints[].condition": every member of what was sent."""
    found = set()
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        found.add(before + "." + name)
        for item in value if isinstance(value, list) else [value]:
            found |= members_of(item, before + "." + name + ("[]" if isinstance(value, list) else ""))
    return found


def seen(client, adapter):
    """What the recordings of one connection show: requests that succeeded, either way, and with which members; events; capabilities that
    were claimed."""
    with open(client, "rb") as one, open(adapter, "rb") as other:
        ours, theirs = split_frames(one.read())[0], list(adapter_messages(other.read()))
    facts = {"requests": set(), "members": set(), "events": set(), "capabilities": set()}
    for asked, answers in ((ours, theirs), (theirs, ours)):
        requests = {message.get("seq"): message for message in asked if message.get("type") == "request"}
        for answer in answers:
            request = requests.get(answer.get("request_seq")) if answer.get("type") == "response" and answer.get("success") else None
            if request and isinstance(request.get("command"), str):
                facts["requests"].add(request["command"])
                if request["command"] not in FREE:
                    facts["members"] |= members_of(request.get("arguments"), request["command"])
    for message in theirs:
        body = message.get("body") if isinstance(message.get("body"), dict) else {}
        if message.get("type") == "event":
            facts["events"].add(message.get("event"))
        if message.get("event") == "capabilities":
            body = body.get("capabilities") if isinstance(body.get("capabilities"), dict) else {}
        elif message.get("command") != "initialize" or message.get("type") != "response":
            continue
        facts["capabilities"] |= {name for name, value in body.items() if value}
    return {kind: {name for name in names if isinstance(name, str)} for kind, names in facts.items()}


def check_recording(schema, path):
    """Faults of one connection's client side."""
    with open(path, "rb") as file:
        messages, faults = split_frames(file.read())
    seq = 0
    for message in messages:
        if message.get("seq") != seq + 1:
            faults.append("seq %r follows %d" % (message.get("seq"), seq))
        seq = message.get("seq", 0)
        faults += ["%s in %s" % (fault, json.dumps(message)[:400]) for fault in schema.faults(message)]
    commands = [message.get("command") for message in messages if message.get("type") == "request"]
    if commands and commands[0] != "initialize":
        faults.append("the first request is %s" % commands[0])
    for once in ("initialize", "disconnect"):
        if commands.count(once) > 1:
            faults.append("%s was sent %d times" % (once, commands.count(once)))
    return faults
