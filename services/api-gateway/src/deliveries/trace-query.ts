import { TIME } from '../openapi/schema/json-schema';
import type { Parameter } from '../openapi/schema/parameters';
import { SHORT_TEXT } from '../validation/text-parameter';

/** Longest anonymous id of the query, in characters. */
export const MAX_ANONYMOUS_ID = 1_000;

/** Parameters of a trace. */
export const TRACE_QUERY: readonly Parameter[] = [
  {
    name: 'connection',
    in: 'query',
    description: 'The source. Without it: the newest event with this id.',
    schema: SHORT_TEXT,
  },
  {
    name: 'pipeline',
    in: 'query',
    description: 'Only what became of it in this pipeline.',
    schema: SHORT_TEXT,
  },
  {
    name: 'anonymousId',
    in: 'query',
    description: 'Of the event; with `connection`. Tells events with one id apart.',
    schema: { ...SHORT_TEXT, maxLength: MAX_ANONYMOUS_ID },
  },
  {
    name: 'at',
    in: 'query',
    description:
      'About when it was accepted, such as `2026-03-01T09:30:00Z`; with `anonymousId`. An event whose id is not kept any more ' +
      'is looked for on the log within five minutes of it.',
    schema: TIME,
  },
];
