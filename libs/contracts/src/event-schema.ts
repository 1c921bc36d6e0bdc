import {
  compileCodec,
  parseJson,
  parseSchema,
  type RecordCodec,
  type Schema,
} from '@penstock/schema';
import { EVENT_SCHEMA_JSON } from './event-schema.json';

/** The schema of an event as a source receives it and as a pipeline reads it. Part of the API. */
export const EVENT_SCHEMA: Schema = parseSchema(parseJson(JSON.stringify(EVENT_SCHEMA_JSON)));

/** Reads and writes events by {@link EVENT_SCHEMA}, `properties` and `traits` without looking inside. */
export const eventCodec: RecordCodec = compileCodec(EVENT_SCHEMA);
