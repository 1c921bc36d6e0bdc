import { parseJson, type RecordValue, parseSchema } from '@penstock/schema';
import { RecordFailure } from '@penstock/transformations';
import type { StepResult } from '../engine/steps';
import { transformOf } from './transform';
import { valueSteps } from './value-steps';

const phones = (createRequired: boolean) =>
  parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [
          {
            name: 'phones',
            type: {
              kind: 'map',
              elementType: {
                kind: 'object',
                properties: [
                  {
                    name: 'area',
                    type: { kind: 'int', bitSize: 32 },
                    readOptional: true,
                    createRequired,
                  },
                ],
              },
            },
          },
        ],
      }),
    ),
  );

const KEY = '+49 30 1234';
const lacking: RecordValue = { phones: new Map([[KEY, {}]]) };

const PHONES = { phones: 'phones' };

interface Given {
  readonly record: RecordValue;
  /** The failure of a function. */
  readonly failure?: RecordFailure;
}

const resultOf = async ({ record, failure }: Given): Promise<StepResult> => {
  const definition = {
    language: 'JavaScript',
    source: '',
    inPaths: ['phones'],
    outPaths: ['phones'],
  };
  const transform = transformOf(
    {
      state: { workspace: 'w', id: 'p', version: 1 },
      transformation: { mapping: PHONES, function: failure === undefined ? null : definition },
      input: phones(false),
      output: phones(true),
      purpose: 'Create',
    } as unknown as Parameters<typeof transformOf>[0],
    { run: () => Promise.resolve({ records: [failure] } as never) },
  );
  const steps = valueSteps({ input: phones(false), transform });
  const [result] = await steps.apply([record], new AbortController().signal);
  return result!;
};

it.each<[string, Given, string]>([
  [
    'a value that is not of its type',
    { record: { phones: new Map([[KEY, { area: 'thirty' }]]) } },
    '/phones/…/area: ',
  ],
  ['a value that a mapping does not give', { record: lacking }, 'phones[…].area: '],
  [
    'a value that a function does not give',
    {
      record: lacking,
      failure: new RecordFailure('OutputValidation', `phones["${KEY}"].area: required (Create)`),
    },
    'phones[…].area: ',
  ],
])('the fault of %s has no key of a map', async (_, given, place) => {
  const result = await resultOf(given);
  expect(result).toMatchObject({ fault: { code: 'InvalidValue' } });
  expect(JSON.stringify(result)).toContain(`"${place}`);
  expect(JSON.stringify(result)).not.toContain(KEY);
});
