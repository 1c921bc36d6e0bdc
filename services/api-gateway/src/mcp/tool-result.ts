import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CallerGone } from '../http/caller-gone';
import type { ErrorAnswer } from '../http/error-answer';

/** Details that are told: enough to go on with. */
const MAX_DETAILS = 20;

interface Detail {
  readonly path?: unknown;
  readonly message?: unknown;
}

const told = (detail: unknown): readonly string[] => {
  const { path = '', message } = detail as Detail;
  return typeof message === 'string' ? [`${String(path)} ${message}`.trim()] : [];
};

const errorText = ({ code, message, details }: ErrorAnswer): string =>
  [`${code}: ${message}`, ...details.slice(0, MAX_DETAILS).flatMap(told)].join('\n');

/**
 * The result of a tool: the text that it gives, or what it was refused for.
 *
 * @param answerTo the answer to what the tool throws.
 * @throws CallerGone when nobody waits for it
 */
export const toolResult = async (
  work: () => Promise<string> | string,
  answerTo: (error: unknown) => ErrorAnswer,
): Promise<CallToolResult> => {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (error) {
    if (error instanceof CallerGone) throw error;
    return { content: [{ type: 'text', text: errorText(answerTo(error)) }], isError: true };
  }
};
