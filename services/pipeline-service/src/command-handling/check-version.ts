import { Refusal, type RequestContext } from '@penstock/contracts';

/**
 * Looked at once the object is known to be there, before anything else is said of it.
 *
 * @param version the present one.
 * @throws Refusal Conflict when the caller has seen another version (`If-Match`).
 */
export const checkVersion = (
  { expectedVersion }: Pick<RequestContext, 'expectedVersion'>,
  version: number,
): void => {
  if (expectedVersion !== undefined && expectedVersion !== version) throw new Refusal('Conflict');
};
