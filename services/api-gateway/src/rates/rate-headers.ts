import { HttpRefusal } from '../http/http-refusal';
import type { Admission } from './token-buckets';

/** Names: draft-ietf-httpapi-ratelimit-headers, its fields of their own. */
export const rateHeaders = ({
  burst,
  remaining,
  waitSeconds,
}: Admission): Readonly<Record<string, string>> => ({
  'RateLimit-Limit': String(burst),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(waitSeconds),
});

/** @throws HttpRefusal TooManyRequests for one who was not let in. */
export const requireAdmission = (admission: Admission): void => {
  if (admission.isLetIn) return;
  const headers = { 'Retry-After': String(admission.waitSeconds), ...rateHeaders(admission) };
  throw new HttpRefusal('TooManyRequests', { headers });
};
