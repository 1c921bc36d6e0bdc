import type { RunStep } from '@penstock/contracts';
import { align, Invalid, type Schema } from '@penstock/schema';
import { WholeRunError } from '../engine/whole-run-error';

/** @throws WholeRunError for a definition that this version of the service cannot compile. */
export const compiling = <T>(step: RunStep, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const message = error.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    throw new WholeRunError(step, 'InvalidPipeline', message, { cause: error });
  }
};

/** @throws WholeRunError naming every difference. */
export const checkAlignment = (step: RunStep, schema: Schema, against: Schema): void => {
  const differences = align(schema, against, null);
  if (differences.length === 0) return;
  const message = differences.map((each) => each.message).join('; ');
  throw new WholeRunError(step, 'SchemaNotAligned', message);
};
