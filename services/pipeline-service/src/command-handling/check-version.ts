import { Refusal, type RequestContext } from '@penstock/contracts';

/**
 * Checks the version that the caller expects, once the object is known to exist and before its state is checked.
 *
 * @param version of the object.
 * @throws Refusal Conflict when the caller expects another version (`If-Match`).
 */
export const checkVersion = (
  { expectedVersion }: Pick<RequestContext, 'expectedVersion'>,
  version: number,
): void => {
  if (expectedVersion !== undefined && expectedVersion !== version) throw new Refusal('Conflict');
};
