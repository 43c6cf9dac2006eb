// The official MCP clients against the real server: sdk.mjs DAPPLE [PATTERN...]
//
// Prints "ok …" or "FAIL …" for each test and "end" at the end. The first client (v1) checks every result against the declared output
// schema by itself; the second (v2) is driven in its legacy mode, with probing, and pinned to 2026-07-28.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';

const [dapple, ...patterns] = process.argv.slice(2);
const programs = fileURLToPath(new URL('../programs', import.meta.url));
const LIMIT = 60_000;
const TOOLS = ['dap_launch', 'dap_attach', 'dap_set_breakpoints', 'dap_add_breakpoint', 'dap_remove_breakpoint', 'dap_continue',
               'dap_next', 'dap_step_in', 'dap_step_out', 'dap_pause', 'dap_threads', 'dap_stack', 'dap_variables',
               'dap_evaluate', 'dap_send_input', 'dap_status', 'dap_stop'];
const INFO = { name: 'dapple-tests', version: '1.0.0' };

function lineOf(program, mark) {
    const lines = readFileSync(join(programs, program), 'utf8').split('\n');
    const index = lines.findIndex((line) => line.includes(`# mark: ${mark}`));
    assert.notEqual(index, -1, `no mark ${mark} in ${program}`);
    return index + 1;
}

// Both clients behind one face: connect, tools, call(tool, arguments, options), close.
const kinds = {
    'v1': {
        make: () => new ClientV1(INFO),
        transport: (parameters) => new TransportV1(parameters),
        call: (client, params, options) => client.callTool(params, undefined, options),
        version: undefined,
    },
    'v2 legacy': {
        make: () => new ClientV2(INFO),
        transport: (parameters) => new TransportV2(parameters),
        call: (client, params, options) => client.callTool(params, options),
        version: '2025-11-25',
    },
    'v2 auto': {
        make: () => new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } }),
        transport: (parameters) => new TransportV2(parameters),
        call: (client, params, options) => client.callTool(params, options),
        version: '2026-07-28',
    },
    'v2 pinned': {
        make: () => new ClientV2(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
        transport: (parameters) => new TransportV2(parameters),
        call: (client, params, options) => client.callTool(params, options),
        version: '2026-07-28',
    },
};

class Session {
    constructor(kind, structured, set = 'core') {
        this.set = set;
        this.kind = kinds[kind];
        this.structured = structured;
        this.client = this.kind.make();
        this.errors = [];
        this.client.onerror = (error) => this.errors.push(error);
    }

    async open() {
        const args = ['mcp', ...(this.structured ? ['--structured', 'on'] : []), ...(this.set === 'core' ? [] : ['--tools', this.set])];
        const env = { ...process.env };
        this.transport = this.kind.transport({ command: dapple, args, cwd: programs, env, stderr: 'inherit' });
        await this.client.connect(this.transport);
        this.tools = (await this.client.listTools()).tools;
    }

    async call(name, args = {}, options = {}) {
        const result = await this.kind.call(this.client, { name, arguments: args }, options);
        assert.equal(result.content.length, 1);
        assert.equal(result.content[0].type, 'text');
        assert.equal(result.structuredContent !== undefined, this.structured);
        return { text: result.content[0].text, data: result.structuredContent, isError: result.isError === true };
    }

    async text(name, args, options) {
        const result = await this.call(name, args, options);
        assert(!result.isError, result.text);
        return result.text;
    }

    // Launches up to a marked line, and forgets the breakpoint.
    async launch(program, mark, session = 'main') {
        const line = lineOf(program, mark);
        const whole = await this.text('dap_launch', { program, breakpoints: [{ file: program, line }], session });
        const text = whole.replace(/^(Warning: .*\n)*/, ''); // which Python is used differs between systems
        assert(text.startsWith(`stopped (breakpoint) at ${program}:${line}:`), text);
        await this.text('dap_set_breakpoints', { file_path: program, breakpoints: [], session });
        return text;
    }

    // The client closes stdin and waits two seconds before it sends a signal: leaving must not need one.
    async close() {
        const started = Date.now();
        await this.client.close();
        const took = Date.now() - started;
        assert(took < 1500 || process.env.DAPPLE_TEST_SANITIZED, `closing took ${took} ms`);
        assert.deepEqual(this.errors.map(String), []);
    }
}

const tests = {
    async 'connects and lists'(session, kind) {
        assert.equal(session.client.getServerVersion().name, 'dapple');
        assert.match(session.client.getInstructions(), session.set === 'single' ? /launch/ : /dap_launch/);
        if (kinds[kind].version)
            assert.equal(session.client.getNegotiatedProtocolVersion(), kinds[kind].version);
        const names = session.tools.map((tool) => tool.name);
        if (session.set === 'core')
            assert.deepEqual(names, TOOLS);
        else if (session.set === 'single')
            assert.deepEqual(names, ['debug']);
        else
            assert.deepEqual(TOOLS.filter((name) => !names.includes(name)), []);
        for (const tool of session.tools) {
            assert.equal(tool.outputSchema !== undefined, session.structured);
            assert.equal(typeof tool.annotations.readOnlyHint, 'boolean');
            for (const word of ['anyOf', 'oneOf', 'allOf', '$ref'])
                assert(!JSON.stringify(tool.inputSchema).includes(word), `${tool.name} has ${word}`);
        }
    },

    async 'debugs a program'(session) {
        await session.launch('cart.py', 'call');
        const inside = await session.call('dap_step_in');
        assert.match(inside.text, /^stopped \(step\) at cart\.py:\d+:\d+ in total/);
        const next = await session.call('dap_next');
        assert.match(next.text, /^stopped \(step\)/);
        const stack = await session.call('dap_stack');
        const frame = Number(/frame (\d+): total/.exec(stack.text)[1]);
        assert.match((await session.call('dap_variables', { frame_id: frame })).text, /items/);
        assert.match((await session.call('dap_evaluate', { expression: 'len(items)', frame_id: frame })).text, /^4/);
        assert.match((await session.call('dap_step_out')).text, /^stopped \(step\) at cart\.py:\d+:\d+ in main/);
        const end = await session.call('dap_continue');
        assert.match(end.text, /^terminated \(exit code 0/);
        assert.match(end.text, /cart 35/);
        const status = await session.call('dap_status');
        assert.match(status.text, /^terminated/);
        await session.text('dap_stop');
        if (!session.structured)
            return;
        assert.equal(inside.data.state, 'stopped');
        assert.equal(inside.data.top_frame.name.includes('total'), true);
        assert.equal(stack.data.stack_frames[0].id, frame);
        assert.equal(end.data.exit_code, 0);
        assert.match(end.data.output, /cart 35/);
        assert.equal(status.data.state, 'terminated');
    },

    async 'debugs a program with one tool'(session) {
        const debug = (action, args = {}) => session.text('debug', { action, ...args });
        const breakpoints = [{ file: 'cart.py', line: lineOf('cart.py', 'cost') }];
        assert.match(await debug('launch', { program: 'cart.py', breakpoints }), /stopped \(breakpoint\) at cart\.py/);
        assert.match(await debug('evaluate', { expression: 'item.price * item.qty' }), /^6/);
        const stack = await session.call('debug', { action: 'stack_trace', levels: 2 });
        const frame = Number(/frame (\d+): /.exec(stack.text)[1]);
        assert.match(await debug('variables', { frame_id: frame }), /item/);
        assert.match(await debug('step_out', { timeout: 20 }), /^stopped/);
        await debug('set_breakpoints', { file_path: 'cart.py', breakpoints: [] });
        const end = await session.call('debug', { action: 'continue' });
        assert.match(end.text, /^terminated \(exit code 0/);
        await debug('terminate');
        const wrong = await session.kind.call(session.client, { name: 'debug', arguments: { action: 'fly' } });
        assert.equal(wrong.isError, true);
        if (!session.structured)
            return;
        assert.equal(stack.data.stack_frames[0].id, frame);
        assert.equal(end.data.exit_code, 0);
    },

    async 'answers mistakes as results'(session) {
        for (const [tool, args, part] of [['dap_next', {}, /requires a stopped/], ['dap_launch', { program: 'none.py' }, /none\.py/],
                                          ['dap_stack', { tread_id: 1 }, /did you mean thread_id/]]) {
            const result = await session.kind.call(session.client, { name: tool, arguments: args });
            assert.equal(result.isError, true);
            assert.match(result.content[0].text, part);
        }
        await assert.rejects(session.kind.call(session.client, { name: 'dap_fly', arguments: {} }), /unknown tool|not found|-32602/i);
    },

    async 'reports progress'(session) {
        await session.launch('busy.py', 'spin');
        const seen = [];
        const text = await session.text('dap_continue', { timeout_ms: 2500 }, { onprogress: (note) => seen.push(note) });
        assert.match(text, /^running \(wait timed out\)/);
        assert(seen.length >= 2, JSON.stringify(seen));
        assert(seen.every((note, at) => typeof note.message === 'string' && (at === 0 || note.progress > seen[at - 1].progress)));
        await session.text('dap_stop');
    },

    async 'goes on after an abort'(session) {
        await session.launch('busy.py', 'spin');
        const controller = new AbortController();
        const waiting = session.call('dap_continue', { timeout_ms: 60_000 }, { signal: controller.signal });
        assert.match(await session.text('dap_status'), /^running/);
        controller.abort('enough');
        await assert.rejects(waiting);
        assert.match(await session.text('dap_status'), /^running/);
        assert.match(await session.text('dap_pause'), /^stopped/);
        await session.text('dap_stop');
    },

    async 'serves calls side by side'(session) {
        await session.launch('busy.py', 'spin');
        const waiting = session.call('dap_continue', { timeout_ms: 60_000 });
        const others = await Promise.all(Array.from({ length: 50 }, () => session.text('dap_status')));
        assert(others.every((text) => text.startsWith('running')));
        const [paused, continued] = await Promise.all([session.text('dap_pause'), waiting]);
        assert.match(paused, /^stopped/);
        assert.match(continued.text, /^stopped/);
        await session.text('dap_stop');
    },

    async 'leaves while a call waits'(session) {
        await session.launch('busy.py', 'spin');
        const waiting = assert.rejects(session.call('dap_continue', { timeout_ms: 60_000 }));
        assert.match(await session.text('dap_status'), /^running/);
        await session.close();
        await waiting;
    },
};

function limited(promise) {
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`not done after ${LIMIT} ms`)), LIMIT); });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function run(name, kind, structured, set, test) {
    const session = new Session(kind, structured, set);
    const started = Date.now();
    let failure;
    try {
        await limited(session.open().then(() => test(session, kind)));
        await session.close();
    } catch (error) {
        failure = error;
        await session.client.close().catch(() => {});
    }
    console.log(`${failure ? 'FAIL' : 'ok  '} sdk ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    if (failure)
        console.log('     ' + String(failure.stack ?? failure).slice(0, 3000).replaceAll('\n', '\n     '));
}

// All with the core set, and with the others what is different there.
const structuredToo = ['connects and lists', 'debugs a program', 'answers mistakes as results'];
const inSets = {
    core: Object.keys(tests).filter((what) => what !== 'debugs a program with one tool'),
    full: structuredToo,
    single: ['connects and lists', 'debugs a program with one tool'],
};

for (const kind of Object.keys(kinds)) {
    for (const [set, names] of Object.entries(inSets)) {
        for (const structured of [false, true]) {
            for (const what of names) {
                if (structured && set === 'core' && !structuredToo.includes(what))
                    continue;
                const name = `${kind}${set === 'core' ? '' : `, ${set}`}${structured ? ', structured' : ''}: ${what}`;
                if (patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)))
                    await run(name, kind, structured, set, tests[what]);
            }
        }
    }
}
console.log('end');
