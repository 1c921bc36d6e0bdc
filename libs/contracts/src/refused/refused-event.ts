import type { Sealed } from '../connection.facts';
import { isInteger, isName, objectIn } from '../foreign-json';
import type { ConnectionId, Instant, SuppressionId, WorkspaceId } from '../ids';

/** Why an event was refused. `DifferentBody`: its message id had come before, with another body. */
export const REFUSED_CODES = ['InvalidEvent', 'EventTooLarge', 'DifferentBody'] as const;

/** One of {@link REFUSED_CODES}. */
export type RefusedCode = (typeof REFUSED_CODES)[number];

/** Bytes of the beginning of a refused event that are kept. */
export const MAX_EXCERPT_BYTES = 2_048;

/** A refused event, or a number of them that were not recorded one by one. */
export interface RefusedEvent {
  /** Unique within its source; the same when it is recorded again. */
  readonly id: string;
  readonly workspace: WorkspaceId;
  readonly source: ConnectionId;
  readonly at: Instant;
  /** Its index in the request, from 0; `null`: not known. */
  readonly index: number | null;
  readonly messageId: string | null;
  readonly code: RefusedCode;
  /** JSON pointer within the event, `''` for the event itself. */
  readonly path: string;
  /** For people; without values of the event. */
  readonly reason: string;
  /** Who its user is, and the one that an alias names, as suppressions name them. */
  readonly users: readonly SuppressionId[];
  /** The beginning of its JSON text, sealed; see {@link refusedSealContext}. `null`: there is none. */
  readonly sealed: Sealed | null;
  /** Whether the excerpt is shorter than the event. */
  readonly isCut: boolean;
  /** 1; more: so many events with this code were left out. */
  readonly count: number;
}

const FORM = 1;

/** What an excerpt is sealed for: it opens for no other event. */
export const refusedSealContext = ({ source, id }: Pick<RefusedEvent, 'source' | 'id'>): string =>
  `refused/${source}/${id}`;

/** The value of a message of the topic `events.refused`. */
export const writeRefusedEvent = (refused: RefusedEvent): string =>
  JSON.stringify({ form: FORM, ...refused });

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Characters of ids and of what they are known by, which stand in indexes. */
const MAX_NAME = 255;

const isText = (value: unknown): boolean => typeof value === 'string';
const isShort = (value: unknown): boolean => isName(value) && String(value).length <= MAX_NAME;
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Whether a record can be kept. Texts that people read may hold anything: they are cleaned. */
const isRefused = (given: Partial<Record<string, unknown>>): boolean =>
  [given['id'], given['workspace'], given['source'], given['code']].every(isShort) &&
  isInstant(given['at']) &&
  [given['path'], given['reason']].every(isText) &&
  (given['messageId'] === null || isText(given['messageId'])) &&
  (given['sealed'] === null || isName(given['sealed'])) &&
  (given['index'] === null || isInteger(given['index'])) &&
  Array.isArray(given['users']) &&
  given['users'].every(isShort) &&
  typeof given['isCut'] === 'boolean' &&
  isInteger(given['count']);

/**
 * Reads a message of the topic; `undefined`: it has another form, such as that of a newer version, or no gateway has written
 * it.
 */
export const readRefusedEvent = (value: string | null): RefusedEvent | undefined => {
  const { form, ...refused } = objectIn(value);
  return form === FORM && isRefused(refused) ? (refused as unknown as RefusedEvent) : undefined;
};
