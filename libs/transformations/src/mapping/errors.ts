import { withoutKeys } from './key-step';

/** Where a record failed. */
export interface Failure {
  /** Dotted path of the output property. */
  readonly path: string;
  /** The expression; undefined when the mapping has none for the property. */
  readonly expression?: string;
  /** The beginning of the offending value, if there is one. */
  readonly value?: string | undefined;
}

const describe = (message: string, { path, expression, value }: Failure): string => {
  const source = expression === undefined ? path : `${path} = ${expression}`;
  return `${source}: ${message}${value === undefined ? '' : `: ${value}`}`;
};

/** Without what the record holds: neither the value nor keys of maps. */
const describePlain = (message: string, { path, ...failure }: Failure): string =>
  describe(message, { ...failure, path: withoutKeys(path), value: undefined });

/** A record failed while an expression was evaluated; counted at the step Transformation. */
export class TransformationError extends Error {
  override readonly name = 'TransformationError';
  readonly path: string;
  /** The message without the offending value and the keys of maps. */
  readonly withoutValue: string;
  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(describe(message, failure), options);
    this.path = failure.path;
    this.withoutValue = describePlain(message, failure);
  }
}

/** A result of the expressions does not fit the output schema; counted at the step OutputValidation. */
export class OutputValidationError extends Error {
  override readonly name = 'OutputValidationError';
  readonly path: string;
  /** The message without the offending value and the keys of maps. */
  readonly withoutValue: string;
  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(describe(message, failure), options);
    this.path = failure.path;
    this.withoutValue = describePlain(message, failure);
  }
}
