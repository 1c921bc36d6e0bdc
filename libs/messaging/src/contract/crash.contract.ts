import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fresh, freshTopic, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

const HERE = __dirname;
/** Twice as many as the child handles before it stands still, however late it is killed. */
const VALUES = 3_000;

export const itSurvivesCrashes = (harness: LogHarness): void => {
  const open = opener(harness);
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const consumeInAProcess = (topic: string, group: string) => {
    const script = ['-r', join(HERE, 'register-swc.cjs'), join(HERE, 'crash-consumer.ts')];
    const child = spawn(process.execPath, [...script, harness.child.module, topic, group], {
      env: { ...process.env, ...harness.child.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    return { child, seen: () => printed.split('\n').slice(0, -1) };
  };

  it('continues from the last position when a member is killed during its work', async () => {
    const log = await open();
    const topic = await freshTopic(log, 3);
    const group = fresh('group');
    const values = numbered(1, VALUES);
    await log.append(
      topic,
      values.map((value) => ({ key: value, value })),
    );

    const { child, seen } = consumeInAProcess(topic, group);
    // Enough that positions were committed before, and too few for everything to be handled before the kill.
    await until('work by the child', () => seen().length >= 600);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const killed = seen();
    expect(killed.length).toBeLessThan(values.length);
    const successor = new Recorder();
    await log.subscribe({ topic, group, onBatch: successor.onBatch });
    await until(
      'everything',
      () => new Set([...killed, ...successor.values]).size === values.length,
    );

    const repeated = successor.values.filter((value) => value !== null && killed.includes(value));
    expect(repeated.length).toBeLessThan(killed.length);
    for (let partition = 0; partition < 3; partition += 1) {
      const offsets = successor.records
        .filter((record) => record.partition === partition)
        .map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.map((_, index) => (offsets[0] ?? 0) + index));
    }
  });
};
