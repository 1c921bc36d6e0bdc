import { Refusal } from '@penstock/contracts';

/** The refusal of a cursor that no list has answered, or not the list that is asked for. */
export const noCursor = (): Refusal =>
  new Refusal('BadRequest', {
    details: [{ path: '/cursor', message: 'must be a cursor that a list has answered' }],
  });
