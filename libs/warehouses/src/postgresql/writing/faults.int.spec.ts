import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type OldPostgres, startOldPostgres } from '@penstock/test-servers';
import { writeJson } from '@penstock/schema';
import { WarehouseFault } from '../../platform/warehouse';
import { batchOf, imported, MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import type {
  IdentityBatch,
  IdentityWriter,
  WarehouseWriter,
} from '../../platform/warehouse-writer';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(180_000);

const REGISTER = join(__dirname, '../../../../messaging/src/contract/register-swc.cjs');
const ROLE = 'run run1';

const waiting = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + 60_000; !(await condition()); await setTimeout(10))
    if (Date.now() > deadline) throw new Error('not in time');
};

/** Batches that overlap, as those of a run that is read again. */
const batches = (count: number, size: number): IdentityBatch[] =>
  Array.from({ length: count }, (_, batch) =>
    batchOf(
      Array.from({ length: size }, (__, at) =>
        imported(`u${batch * (size / 2) + at}`, 10 + ((batch * 7 + at) % 5), {
          email: `${batch} ${at}`,
        }),
      ),
      { batch },
    ),
  );

const isFault = (kind: string) => (error: unknown) =>
  error instanceof WarehouseFault && error.kind === kind;

/** Writes again until there is an answer, as a run does. @returns how often there was none */
const insist = async (writer: IdentityWriter, batch: IdentityBatch): Promise<number> => {
  for (let failures = 0; ; failures += 1)
    try {
      await writer.write(batch);
      return failures;
    } catch (error) {
      if (!isFault('unreachable')(error)) throw error;
      await setTimeout(5);
    }
};

const undisturbed = async (all: readonly IdentityBatch[]) => {
  const written = await writtenStage(MINE);
  const writers = await written.open(OPTIONS);
  const writer = await writers.begin({ role: ROLE, epoch: 1 });
  for (const batch of all) await writer.write(batch);
  await writers.close();
  const identities = await written.identities();
  await written.close();
  return identities;
};

describe('with sessions that are cut off at any moment', () => {
  let isDone = false;
  afterEach(() => {
    isDone = true;
  });

  it('the identities, and what the run has seen, are those of an undisturbed run', async () => {
    const all = batches(30, 400);
    const expected = await undisturbed(all);
    const written = await writtenStage(MINE);
    const writers = await written.open(OPTIONS);
    const writer = await writers.begin({ role: ROLE, epoch: 1 });
    let longestMs = 60;
    const cutting = (async () => {
      while (!isDone) {
        // Less and less often, so that a machine with much to do comes to an end, too.
        longestMs += 0.5;
        await setTimeout(5 + Math.random() * longestMs);
        await written.stage.run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'penstock-warehouse'`,
        );
      }
    })();
    let failures = 0;
    for (const batch of all) failures += await insist(writer, batch);
    isDone = true;
    await cutting;
    expect(failures).toBeGreaterThan(0);
    expect(await written.identities()).toEqual(expected);
    const seen = await written.stage.rows(`SELECT count(*)::int FROM ${SCHEMA}._seen`);
    expect(seen).toEqual([{ count: expected.length }]);
    await writers.close();
    await written.close();
  });
});

describe('with a server that is killed in the middle of a batch', () => {
  const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';
  (isFoundForThisMachine ? it : it.skip)(
    'the batch is written wholly or not at all, and again',
    async () => {
      const all = batches(12, 400);
      const expected = await undisturbed(all);
      const server = (await startOldPostgres()) as OldPostgres;
      const written = await writtenStage(MINE, server.url);
      const writers = await written.open(OPTIONS);
      const writer = await writers.begin({ role: ROLE, epoch: 1 });
      let failures = 0;
      for (const batch of all) {
        const writing = insist(writer, batch);
        if ((batch.run?.batch ?? 0) % 3 === 2) {
          await setTimeout(Math.random() * 15);
          await server.killAndRestart();
        }
        failures += await writing;
      }
      await written.reconnect();
      expect(failures).toBeGreaterThan(0);
      expect(await written.identities()).toEqual(expected);
      await writers.close();
      await written.close();
      await server.stop();
    },
  );
});

describe('with a batch that waits for the one before it', () => {
  let writers: WarehouseWriter;
  afterEach(() => writers.close());

  /** A batch of two records, staged; the function lets it be merged. */
  const staged = async (written: WrittenStage) => {
    writers = await written.open(OPTIONS);
    const writer = await writers.begin({ role: ROLE, epoch: 1 });
    let merge: () => void = () => undefined;
    const before = new Promise<void>((resolve) => (merge = resolve));
    const batch = batchOf([imported('a', 1), imported('b', 1)], { batch: 1 });
    const writing = writer.write(batch, before);
    writing.catch(() => undefined);
    const rows = async () => {
      const [stage] = await written.stages();
      if (stage === undefined) return 0;
      const [row] = await written.stage.rows(`SELECT count(*)::int AS n FROM ${SCHEMA}.${stage}`);
      return (row as { n: number }).n;
    };
    await waiting(async () => (await rows()) === 2);
    return { writing, merge };
  };

  const expectWhole = async (written: WrittenStage, writing: Promise<unknown>) => {
    expect(await writing).toEqual([{}, {}]);
    expect((await written.identities()).map(({ recordId }) => recordId)).toEqual(['a', 'b']);
    expect(await written.stages()).toEqual([]);
  };

  it.each(['TRUNCATE', 'DROP TABLE', `DELETE FROM`])(
    'what was staged and is lost is staged again: %s',
    async (statement) => {
      const written = await writtenStage(MINE);
      const { writing, merge } = await staged(written);
      const [stage = ''] = await written.stages();
      const some = statement === 'DELETE FROM' ? ` WHERE _record_id = 'a'` : '';
      await written.stage.run(`${statement} ${SCHEMA}.${stage}${some}`);
      merge();
      await expectWhole(written, writing);
      await written.close();
    },
  );

  const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';
  (isFoundForThisMachine ? it : it.skip)(
    'it is written when the server is killed meanwhile',
    async () => {
      const server = (await startOldPostgres()) as OldPostgres;
      const written = await writtenStage(MINE, server.url);
      const { writing, merge } = await staged(written);
      await server.killAndRestart();
      await written.reconnect();
      merge();
      await expectWhole(written, writing);
      await written.close();
      await server.stop();
    },
  );
});

describe('with a writer that is frozen', () => {
  let written: WrittenStage;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    written = await writtenStage(MINE);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await written.close();
  });

  const start = (epoch: number) => {
    const settings = writeJson(written.stage.settings(written.loader));
    const script = ['-r', REGISTER, join(__dirname, 'endless-writer.fixture.ts')];
    const child = spawn(process.execPath, [...script, settings, String(epoch)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    return { child, lines: () => printed.split('\n').slice(0, -1) };
  };

  it('another one takes over at once, and what wakes up writes nothing', async () => {
    for (let round = 0; round < 3; round += 1) {
      const epoch = 2 * round + 1;
      const frozen = start(epoch);
      await waiting(() => frozen.lines().length >= 3);
      await setTimeout(Math.random() * 50);
      frozen.child.kill('SIGSTOP');
      const writers = await written.open(OPTIONS);
      const writer = await writers.begin({ role: ROLE, epoch: epoch + 1 });
      const mine = Array.from({ length: 100 }, (_, at) =>
        imported(`u${at}`, 1_000_000 * (round + 1), { email: 'mine' }),
      );
      await writer.write(batchOf(mine));
      const before = await written.identities();
      frozen.child.kill('SIGCONT');
      await waiting(() => frozen.lines().includes('fenced'));
      expect(await written.identities()).toEqual(before);
      await writers.close();
    }
  });

  it('of two that both believe to be the writer, the newer one is', async () => {
    const older = start(1);
    await waiting(() => older.lines().length > 0);
    const newer = start(2);
    await waiting(() => newer.lines().length > 1);
    await waiting(() => older.lines().includes('fenced'));
    expect(newer.lines()).not.toContain('fenced');
    expect(older.lines().at(-1)).toBe('fenced');
  });
});
