import type { NewApiKey } from '@penstock/contracts';

/** Whether the time of the key is over. */
export const hasExpired = ({ expiresAt }: Pick<NewApiKey, 'expiresAt'>): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();
