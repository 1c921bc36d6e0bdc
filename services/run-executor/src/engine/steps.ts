import type { RecordValue } from '@penstock/schema';
import type { RecordFault } from './record-source';

/** A step at which the values of a record can fail. */
type ValueStep = 'InputValidation' | 'Filter' | 'Transformation' | 'OutputValidation';

/** The step at which a record ended; without a fault, the filter has left it out. */
interface StepFault {
  readonly step: ValueStep;
  readonly fault: RecordFault | null;
}

/** What becomes of a record: values for the warehouse, or where it ended. */
export type StepResult = { readonly values: RecordValue } | StepFault;

/** Validation, filter and transformation of one version of a pipeline. */
export interface Steps {
  /**
   * In the order of the records, whose values are of the schema of the reading.
   *
   * @throws Away when functions cannot be run at the moment, WholeRunError when they never can; the signal's reason.
   */
  apply(records: readonly RecordValue[], signal: AbortSignal): Promise<readonly StepResult[]>;
}
