import { EVENT_SCHEMA } from '@penstock/contracts';
import { type JsonObject, parseSchema, printType } from '@penstock/schema';
import type { CaseList } from './case';

/** Checks that the file is the schema of events, the order of its properties included. */
export const eventSchemaLists = (name: string, file: JsonObject): CaseList[] => [
  {
    name,
    cases: [
      {
        title: 'the schema of events',
        run: () => ({
          expected: printType(parseSchema(file)),
          actual: printType(EVENT_SCHEMA),
        }),
      },
    ],
  },
];
