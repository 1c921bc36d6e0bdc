import type { ApiRequest } from '../auth/caller';
import { flagParameter } from './page';

/**
 * Whether the request is only tried; undefined where it says nothing of it. Its route knows the parameter when it performs
 * an operation that has a dry run.
 *
 * @throws Refusal BadRequest
 */
export const isDryRun = ({ query }: Pick<ApiRequest, 'query'>): boolean | undefined =>
  flagParameter(query, 'dryRun');
