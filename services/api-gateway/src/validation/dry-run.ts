import type { ApiRequest } from '../auth/caller';
import { flagParameter } from './page';

/**
 * Reads the parameter `dryRun`; undefined when it is absent. Routes without a dry run refuse the parameter before.
 *
 * @throws Refusal BadRequest
 */
export const isDryRun = ({ query }: Pick<ApiRequest, 'query'>): boolean | undefined =>
  flagParameter(query, 'dryRun');
