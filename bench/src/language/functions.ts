import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileCodec, type RecordValue } from '@penstock/schema';
import {
  createFunctionRunner,
  type FunctionBatch,
  type FunctionLanguage,
  type FunctionRunner,
  RecordFailure,
} from '@penstock/transformations';
import { cpuSeconds, proportionalMiB } from '../process-usage';
import { EVENT_TEXTS, freshRecords } from './sample-events';

/** Records per call of the runner. */
const BATCH = 100;

const PATHS = [
  'anonymousId',
  'context',
  'event',
  'properties',
  'timestamp',
  'traits',
  'type',
  'userId',
];

/** The compared function: reads some members and returns the event with changed ones. */
const transform = (event: Record<string, Record<string, unknown>>): object => ({
  ...event,
  traits: { ...event['traits'], email: String(event['traits']?.['email']).trim().toLowerCase() },
  properties: {
    ...event['properties'],
    cents: Math.round(Number(event['properties']?.['total']) * 100),
  },
});

const SOURCES: Readonly<Record<FunctionLanguage, string>> = {
  JavaScript: `const transform = (event) => ({
  ...event,
  traits: { ...event.traits, email: String(event.traits.email).trim().toLowerCase() },
  properties: { ...event.properties, cents: Math.round(event.properties.total * 100) },
});`,
  Python: `def transform(event):
    return {
        **event,
        'traits': {**event['traits'], 'email': event['traits']['email'].strip().lower()},
        'properties': {**event['properties'], 'cents': round(event['properties']['total'] * 100)},
    }`,
};

const batchOf = (language: FunctionLanguage, isolation = language): FunctionBatch => ({
  isolation,
  definition: {
    language,
    source: SOURCES[language],
    preserveJSON: false,
    inPaths: PATHS,
    outPaths: PATHS,
  },
  schemas: { input: EVENT_SCHEMA, output: EVENT_SCHEMA },
  purpose: 'Create',
});

const RECORDS = Array.from({ length: Math.ceil(BATCH / EVENT_TEXTS.length) }, freshRecords)
  .flat()
  .slice(0, BATCH);

const runBatch = async (runner: FunctionRunner, batch: FunctionBatch): Promise<void> => {
  const { records } = await runner.run(batch, RECORDS);
  const failure = records.find((record) => record instanceof RecordFailure);
  if (failure) throw new Error(failure.message);
};

/** Calls per CPU second, CPU time of the sandbox's process included. */
export const callsPerCpuSecond = async (
  language: FunctionLanguage,
  seconds: number,
): Promise<number> => {
  const runner = createFunctionRunner({ spares: 0 });
  const batch = batchOf(language);
  for (let warmUp = 0; warmUp < 30; warmUp += 1) await runBatch(runner, batch);
  let calls = 0;
  const before = cpuSeconds(process.pid);
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; calls += BATCH)
    await runBatch(runner, batch);
  const used = cpuSeconds(process.pid) - before;
  await runner.close();
  return calls / used;
};

/**
 * The same function in this process, called with a copy of the record, and with its result validated by the schema,
 * since a function may change its argument and return anything.
 */
export const inProcessPerCpuSecond = (seconds: number): number => {
  const shown = {
    kind: 'object',
    properties: EVENT_SCHEMA.properties.filter(({ name }) => PATHS.includes(name)),
  } as const;
  const codec = compileCodec(shown, { partial: true });
  const given = RECORDS.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => PATHS.includes(name))),
  ) as RecordValue[];
  const call = (record: RecordValue): RecordValue =>
    codec.parse(JSON.stringify(transform(JSON.parse(codec.encode(record)) as never)));
  for (let warmUp = 0; warmUp < 30; warmUp += 1) given.forEach(call);
  let calls = 0;
  const before = cpuSeconds(process.pid);
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; calls += BATCH)
    given.forEach(call);
  return calls / (cpuSeconds(process.pid) - before);
};

/** The cost of the first function, and of each further one. */
export interface StartCost {
  /** Until the first answer, the start of the process included. */
  readonly firstMs: number;
  /** For each further function in the running process. */
  readonly furtherMs: number;
  /** Memory of the process with one function. */
  readonly firstMiB: number;
  readonly furtherMiB: number;
}

const FURTHER = 8;

export const startCost = async (language: FunctionLanguage): Promise<StartCost> => {
  const own = proportionalMiB(process.pid);
  const start = performance.now();
  const runner = createFunctionRunner({ spares: 0 });
  const [record] = RECORDS;
  const once = (isolation: string) =>
    runner.run({ ...batchOf(language), isolation }, record ? [record] : []);
  await once('first');
  const firstMs = performance.now() - start;
  const firstMiB = proportionalMiB(process.pid) - own;
  const further = performance.now();
  for (let index = 0; index < FURTHER; index += 1) await once(`further ${index}`);
  const furtherMs = (performance.now() - further) / FURTHER;
  const furtherMiB = (proportionalMiB(process.pid) - own - firstMiB) / FURTHER;
  await runner.close();
  return { firstMs, furtherMs, firstMiB, furtherMiB };
};
