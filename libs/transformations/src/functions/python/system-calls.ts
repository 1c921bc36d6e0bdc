import { WASI, wasi } from '@bjorn3/browser_wasi_shim';
import type { Allowance } from '../guest/allowance';
import { sleep } from '../guest/sleep';
import type { Input, Nowhere, Output } from './descriptors';
import { zoneFolder } from './zone-folder';

type Calls = Record<string, (...values: never[]) => unknown>;

/** Offsets in the structures `subscription` and `event` of WASI preview 1. */
const KIND = 8;
const TIMEOUT = 24;
const FLAGS = 40;
const EVENT_ERROR = 8;
const EVENT_KIND = 10;
const NANOSECONDS_PER_MS = 1e6;

const refused = (): number => wasi.ERRNO_NOTSUP;

/** Sleeps until the one subscribed clock: the shim's own implementation is a busy loop. */
const poll =
  (memory: () => WebAssembly.Memory) =>
  (input: number, output: number, count: number, events: number): number => {
    const view = new DataView(memory().buffer);
    if (count !== 1 || view.getUint8(input + KIND) !== wasi.EVENTTYPE_CLOCK) return refused();
    const absolute = (view.getUint16(input + FLAGS, true) & 1) === 1;
    const until = Number(view.getBigUint64(input + TIMEOUT, true)) / NANOSECONDS_PER_MS;
    sleep(Math.max(0, absolute ? until - performance.now() : until));
    view.setBigUint64(output, view.getBigUint64(input, true), true);
    view.setUint16(output + EVENT_ERROR, wasi.ERRNO_SUCCESS, true);
    view.setUint8(output + EVENT_KIND, wasi.EVENTTYPE_CLOCK);
    view.setUint32(events, 1, true);
    return wasi.ERRNO_SUCCESS;
  };

const SOCKETS = ['sock_accept', 'sock_recv', 'sock_send', 'sock_shutdown'];

/** Imported function that replaces `memory.grow`. Nothing is written to disks, so the original is not needed. */
export const PYTHON_GROWTH = 'fd_datasync';

/**
 * Runs the interpreter to its end. It has three descriptors, a read-only folder of time zones, no socket, no
 * environment; its standard library is part of the module.
 */
export const runInterpreter = (
  module: WebAssembly.Module,
  program: string,
  descriptors: readonly [Input, Output, Nowhere],
  allowance: Allowance,
): void => {
  const system = new WASI(
    ['python', '-I', '-B', '-X', 'utf8', '-c', program],
    [],
    [...descriptors, zoneFolder()],
    {
      debug: false,
    },
  );
  const calls: Calls = {
    ...system.wasiImport,
    ...Object.fromEntries(SOCKETS.map((name) => [name, refused])),
    poll_oneoff: poll(() => system.inst.exports.memory),
    [PYTHON_GROWTH]: (pages: number) => allowance.grow(system.inst.exports.memory, pages),
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: calls });
  system.start(instance as unknown as Parameters<WASI['start']>[0]);
};
