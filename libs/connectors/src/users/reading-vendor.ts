import type { Json } from '@penstock/schema';
import type { ErrorText } from '../answers/error-text';
import type { CallContext } from '../connector/call-context';
import type { Answer } from '../connector/user-source';
import type { DraftHeader } from '../requests/draft';
import { readJson, type ReadRequest } from './read-json';

/** Settings in the form in which each request for users needs them. */
export interface VendorAccess {
  /** Where the paths begin, without a slash at the end. */
  readonly base: string;
  readonly headers: readonly DraftHeader[];
  /** Never shown in an answer. */
  readonly secrets: readonly string[];
  readonly errorText: ErrorText;
  /** See `ReadRequest`. */
  readonly outcome?: NonNullable<ReadRequest['outcome']>;
}

/** What a vendor has at a path, see `readJson`. */
export const getFrom = <T>(
  { base, headers, ...more }: VendorAccess,
  path: string,
  context: Pick<CallContext, 'http' | 'signal'>,
  read: (json: Json, status: number) => T,
): Promise<Answer<T>> =>
  readJson(
    {
      method: 'GET',
      url: `${base}${path}`,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      ...more,
    },
    context,
    read,
  );
