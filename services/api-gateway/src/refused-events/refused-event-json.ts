import {
  type ConnectionId,
  refusedSealContext,
  type RefusedEventView,
  type WorkspaceId,
} from '@penstock/contracts';
import { type Seals } from '@penstock/runtime';
import { type JsonObject, MASK, maskedValues } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

/** Of which source the events are, and whether their values are shown. */
export interface RefusedOf {
  readonly workspace: WorkspaceId;
  readonly source: ConnectionId;
  readonly withValues: boolean;
}

/** An excerpt that is cut, or no JSON, has no members that could be told from values. */
const masked = (text: string): string => {
  try {
    return maskedValues(text);
  } catch {
    return MASK;
  }
};

/** Null: there is none, or it has been erased. */
const excerptOf = (
  { id, sealed }: RefusedEventView,
  { workspace, source, withValues }: RefusedOf,
  seals: Pick<Seals, 'open'>,
): string | null => {
  if (sealed === null) return null;
  const text = seals.open(sealed, workspace, refusedSealContext({ source, id }));
  return withValues ? text : masked(text);
};

/** A refused event in answers. */
export const refusedEventJson = (
  view: RefusedEventView,
  of: RefusedOf,
  seals: Pick<Seals, 'open'>,
): JsonObject => {
  const { sealed: _, index, count, ...rest } = view;
  return jsonObject<Exclude<keyof RefusedEventView, 'sealed'> | 'excerpt' | 'isMasked'>({
    ...rest,
    index: index === null ? null : jsonInteger(index),
    count: jsonInteger(count),
    excerpt: excerptOf(view, of, seals),
    isMasked: !of.withValues,
  });
};
