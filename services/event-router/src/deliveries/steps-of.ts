import { PIPELINE_STEPS, type PipelineNumbers } from '@penstock/contracts';
import type { CountedEvents } from './counted-events';

/**
 * How many events passed each step, and failed at it. All events that were accepted have come to the first step; to the others those
 * that have ended, since it is known by then which step they did not pass.
 */
export const stepsOf = ({
  accepted,
  endings,
}: CountedEvents): Pick<PipelineNumbers, 'passed' | 'failed'> => {
  const failed = PIPELINE_STEPS.map((step) =>
    endings
      .filter((each) => each.step === step && each.state !== 'Delivered')
      .reduce((sum, { count }) => sum + count, 0),
  );
  const [atReceipt = 0, ...later] = failed;
  const passed = [accepted - atReceipt];
  let left = endings.reduce((sum, { count }) => sum + count, 0) - atReceipt;
  for (const number of later) {
    left -= number;
    passed.push(left);
  }
  return { passed, failed };
};
