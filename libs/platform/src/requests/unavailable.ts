import { Refusal } from '@penstock/contracts';

/** The refusal of a request that needs something which is unavailable at the moment. */
export const unavailable = (because: string): Refusal =>
  new Refusal('ServiceUnavailable', { message: `service is unavailable: ${because}` });
