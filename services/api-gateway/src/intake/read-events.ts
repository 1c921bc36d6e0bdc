import { checkUtf8 } from './decode-body';
import type { EventRoute } from './intake-routes';
import { ByteReader } from './event/byte-reader';
import { MalformedBody } from './event/malformed-body';
import { readSubmission, type Submission } from './event/read-submission';
import type { IntakeLimits } from './intake-limits';

/**
 * Reads the events of a body, and checks that the route accepts its form.
 *
 * @throws MalformedBody
 */
export const readEvents = (
  body: Buffer,
  { accepts }: EventRoute,
  { maxDepth, maxEvents }: Pick<IntakeLimits, 'maxDepth' | 'maxEvents'>,
): Submission => {
  const submission = readSubmission(new ByteReader(checkUtf8(body), maxDepth), maxEvents);
  if (accepts === 'one' && submission.isMany) throw new MalformedBody('the body must be one event');
  if (accepts === 'many' && !submission.isMany) throw new MalformedBody('is required', '/batch');
  return submission;
};
