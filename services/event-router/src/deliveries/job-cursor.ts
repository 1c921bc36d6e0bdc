import { isIdForm, type JobId, Refusal } from '@penstock/contracts';

/** The job after which a list of jobs goes on. @throws Refusal BadRequest for a text that is not a cursor of such a list. */
export const jobIn = (cursor: string): JobId | undefined => {
  if (cursor === '') return undefined;
  if (isIdForm(cursor)) return cursor as JobId;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};
