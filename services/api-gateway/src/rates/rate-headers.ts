import { HttpRefusal } from '../http/http-refusal';
import type { Admission } from './token-buckets';

/**
 * Builds the headers of a rate. Source of the names: draft-ietf-httpapi-ratelimit-headers, in its form with separate
 * fields.
 */
export const rateHeaders = ({
  burst,
  remaining,
  waitSeconds,
}: Admission): Readonly<Record<string, string>> => ({
  'RateLimit-Limit': String(burst),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(waitSeconds),
});

/** @throws HttpRefusal TooManyRequests when the request was not admitted. */
export const requireAdmission = (admission: Admission): void => {
  if (admission.isLetIn) return;
  const headers = { 'Retry-After': String(admission.waitSeconds), ...rateHeaders(admission) };
  throw new HttpRefusal('TooManyRequests', { headers });
};
