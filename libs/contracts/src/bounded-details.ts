import type { RefusalDetail } from './refusals';

/** The most details that one refusal names. */
const MAX_DETAILS = 1_000;

/** UTF-16 units of one path, and of one message. */
const MAX_TEXT_LENGTH = 1_000;

/**
 * UTF-16 units of all paths and messages: each takes up to eight bytes in a message of the log, where it stands sealed.
 */
const MAX_TOTAL_LENGTH = 100_000;

const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

const bounded = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH - 1).replace(HALF_A_CHARACTER, '')}…`;

/** The first of the details, with shortened texts, as many as fit into an answer; at least one. */
export const boundedDetails = (details: readonly RefusalDetail[]): readonly RefusalDetail[] => {
  const named: RefusalDetail[] = [];
  let length = 0;
  for (const detail of details.slice(0, MAX_DETAILS)) {
    const [path, message] = [bounded(detail.path), bounded(detail.message)];
    length += path.length + message.length;
    if (length > MAX_TOTAL_LENGTH) break;
    named.push({ ...detail, path, message });
  }
  return named;
};
