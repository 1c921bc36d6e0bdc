import { newRecord, parseJson, parseSchema, type RecordValue, type Schema } from '@penstock/schema';
import { createFunctionRunner } from './create-function-runner';
import type { FunctionRunner } from './function-runner';
import type { FunctionLanguage } from './values/transformation-function';

/** A text and a number, and properties for most results of a function. */
export const SCHEMA: Schema = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'text', type: { kind: 'string' }, readOptional: true },
        { name: 'number', type: { kind: 'int', bitSize: 32 }, readOptional: true },
        { name: 'data', type: { kind: 'json' }, readOptional: true },
      ],
    }),
  ),
);

const PATHS = ['data', 'number', 'text'];

export const recordOf = (text: string, number = 1): RecordValue =>
  Object.assign(newRecord(), { text, number });

/** Short, so that endless functions end soon; long enough for a busy machine. */
export const TIME_LIMIT_MS = 2_000;

/** Longer than any function takes that ends, on a machine with much else to do. */
export const LONG_MS = 15_000;

/** Creates a runner for a file of tests, with short helpers. */
export const bench = (language: FunctionLanguage, timeLimitMs = TIME_LIMIT_MS) => {
  const runner: FunctionRunner = createFunctionRunner({
    timeLimitMs,
    memoryLimitBytes: 64 * 1024 * 1024,
  });
  const definition = (source: string) => ({
    language,
    source,
    preserveJSON: false,
    inPaths: PATHS,
    outPaths: PATHS,
  });
  const schemas = { input: SCHEMA, output: SCHEMA };
  return {
    runner,
    compile: (source: string) => runner.compile(definition(source), schemas),
    run: async (source: string, given: readonly (string | RecordValue)[], isolation = source) => {
      const batch = {
        isolation,
        definition: definition(source),
        schemas,
        purpose: 'None',
      } as const;
      return runner.run(
        batch,
        given.map((one) => (typeof one === 'string' ? recordOf(one) : one)),
      );
    },
  };
};
