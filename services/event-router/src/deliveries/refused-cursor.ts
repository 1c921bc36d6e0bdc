import { Refusal } from '@penstock/contracts';
import type { RefusedPlace } from '../refused/refused-events-table';

const FORM = /^([0-9a-z]{1,9})-([\w-]{1,40})$/;

/** Where a list of refused events goes on: after this place. */
export const refusedCursor = ({ atMs, id }: RefusedPlace): string => `${atMs.toString(36)}-${id}`;

/** The place that a cursor names; undefined for an empty one. @throws Refusal BadRequest for any other text. */
export const refusedPlace = (cursor: string): RefusedPlace | undefined => {
  if (cursor === '') return undefined;
  const [, time, id] = FORM.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined) return { atMs: parseInt(time, 36), id };
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};
