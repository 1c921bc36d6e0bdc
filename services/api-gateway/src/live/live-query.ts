import { EVENT_SCHEMA, Refusal } from '@penstock/contracts';
import {
  compileFilter,
  type Filter,
  filterPaths,
  parseFilter,
  printFilter,
} from '@penstock/filters';
import { Invalid } from '@penstock/schema';
import { includes } from '../auth/access';
import type { Caller } from '../auth/caller';
import { connectionId } from '../connections/connection-id';
import { malformed } from '../http/read-json';
import { ref } from '../openapi/schema/json-schema';
import { inHeader, json, only } from '../openapi/schema/parameters';
import { eventPipeline } from '../pipelines/event-pipeline';
import type { Reads } from '../reads/reads';
import { objectParameter } from '../validation/object-parameter';
import { parameter, type QueryParameters } from '../validation/page';
import type { Watch } from './watch';

export const LIVE_QUERY = [
  only('connection', ref('Id')),
  only('pipeline', ref('Id')),
  json(
    'filter',
    'Only events that match this filter, which is one of pipelines on events.',
    'Filter',
  ),
];

export const LAST_EVENT_ID_HEADER = inHeader(
  'Last-Event-ID',
  'Goes on after the event with this `id`, which a client that comes back has seen last.',
  { type: 'string', pattern: '^[0-9]{0,15}$' },
);

/** Properties of an event that the stream shows to everybody. */
const SHOWN: ReadonlySet<string> = new Set(['messageId', 'receivedAt', 'type']);

/**
 * Whoever may not see values may not ask for them either: by the events that match, a filter would tell them.
 *
 * @throws Refusal Forbidden
 */
const refuseHidden = (filter: Filter, withValues: boolean): void => {
  if (withValues) return;
  const hidden = filterPaths(filter).filter((path) => !SHOWN.has(path));
  if (hidden.length === 0) return;
  const details = hidden.map((path) => ({
    path: '/filter',
    message: `a key of scope read sees no values of ${path}, and cannot filter by them`,
  }));
  throw new Refusal('Forbidden', { details });
};

/** @throws Refusal BadRequest that names the places in the filter; Forbidden by values that are not shown. */
const matcherIn = (
  query: QueryParameters,
  withValues: boolean,
): Pick<Watch, 'filter' | 'matches'> => {
  const given = objectParameter(query, 'filter');
  if (given === undefined) return { filter: '', matches: null };
  try {
    const filter = parseFilter(given, EVENT_SCHEMA, 'DestinationEvent');
    refuseHidden(filter, withValues);
    const compiled = compileFilter(filter, EVENT_SCHEMA);
    return { filter: printFilter(filter), matches: (event) => compiled.matches(event) };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const details = error.issues.map(({ path, message }) => ({ path: `/filter${path}`, message }));
    throw new Refusal('BadRequest', { details });
  }
};

/**
 * Reads what is to be watched.
 *
 * @throws Refusal BadRequest that names the parameter; Forbidden; ConnectionNotExist, PipelineNotExist.
 */
export const watchIn = (query: QueryParameters, reads: Reads, caller: Caller): Watch => {
  const connection = parameter(query, 'connection');
  const pipeline = parameter(query, 'pipeline');
  const withValues = includes(caller.scope, 'write');
  const filter = matcherIn(query, withValues);
  const ofConnection =
    connection === undefined
      ? undefined
      : reads.get('GetConnection', { id: connectionId(connection) }, caller);
  const ofPipeline = pipeline === undefined ? undefined : eventPipeline(reads, pipeline, caller);
  return {
    workspace: caller.workspace,
    connection: ofConnection?.id ?? null,
    isOfSource: ofConnection?.role === 'Source',
    pipeline: ofPipeline?.id ?? null,
    ...filter,
    withValues,
  };
};

/** Offsets of Kafka are at most of this length. */
const LAST_EVENT_ID = /^\d{1,15}$/;

/**
 * Reads the header that a client sends when it comes back; undefined: it begins now.
 *
 * @throws Refusal BadRequest for a text that is no id of the stream.
 */
export const lastEventIdIn = (header: string | undefined): number | undefined => {
  if (header === undefined || header === '') return undefined;
  if (!LAST_EVENT_ID.test(header))
    throw malformed('', 'header Last-Event-ID must be an id that the stream has sent');
  return Number(header);
};
