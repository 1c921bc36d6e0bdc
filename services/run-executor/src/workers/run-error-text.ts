import type { RunPipelineState, RunStep } from '@penstock/contracts';
import { adviceOf, type RunErrorCode } from '../engine/run-error-codes';

/** The file, the query or the application from which an import reads. */
const sourceOf = ({ source }: NonNullable<RunPipelineState['imports']>): string => {
  switch (source.kind) {
    case 'application':
      return 'users of the application';
    case 'database':
      return 'query';
    case 'file':
      return fileText(source);
  }
};

/** The file, the table or the application into which an export writes. */
const destinationOf = ({ destination }: NonNullable<RunPipelineState['exports']>): string => {
  switch (destination.kind) {
    case 'application':
      return 'users of the application';
    case 'database':
      return `table ${destination.table}`;
    case 'file':
      return fileText(destination);
  }
};

const fileText = ({ path, sheet }: { readonly path: string; readonly sheet: string | null }) =>
  sheet === null ? `file ${path}` : `file ${path}, sheet ${sheet}`;

/** What a step of a run works on. */
const whereOf = ({ imports, exports }: RunPipelineState, step: RunStep): string => {
  switch (step) {
    case 'Receive':
      return imports ? sourceOf(imports) : 'profiles';
    case 'InputValidation':
      return imports ? sourceOf(imports) : 'profile schema';
    case 'Filter':
      return 'filter';
    case 'Transformation':
      return 'transformation';
    case 'OutputValidation':
      return exports ? destinationOf(exports) : 'profile schema';
    case 'Finalize':
      return exports ? destinationOf(exports) : 'data warehouse';
  }
};

/** A whole-run error, as its {@link runErrorText} is made of it. */
interface Failure {
  readonly step: RunStep;
  readonly code: RunErrorCode;
  readonly message: string;
}

/**
 * Says of a whole-run error where it is, what it is, and what to do.
 *
 * @param pipeline null: it is not known.
 */
export const runErrorText = (
  pipeline: RunPipelineState | null,
  { step, code, message }: Failure,
): string => {
  const where = pipeline === null ? 'pipeline' : whereOf(pipeline, step);
  return `${where}: ${message}; ${adviceOf(code)}`;
};
