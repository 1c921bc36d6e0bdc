import type { Answer } from '@penstock/connectors';
import { unavailable } from '@penstock/platform';

/**
 * The value that an application answered.
 *
 * @throws Refusal ServiceUnavailable with the reason when it answered none.
 */
export const valueOf = <T>(answer: Answer<T>): T => {
  if (answer.kind === 'answered') return answer.value;
  throw unavailable(`the application: ${answer.reason}`);
};
