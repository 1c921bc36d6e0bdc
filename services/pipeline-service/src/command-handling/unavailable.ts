import { Refusal } from '@penstock/contracts';

/** Something that the request needs cannot be had at the moment. */
export const unavailable = (because: string): Refusal =>
  new Refusal('ServiceUnavailable', { message: `service is unavailable: ${because}` });
