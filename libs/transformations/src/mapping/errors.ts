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

/** A record failed while an expression was evaluated; counted at the step Transformation. */
export class TransformationError extends Error {
  override readonly name = 'TransformationError';
  readonly path: string;
  /** The message without the offending value. */
  readonly withoutValue: string;
  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(describe(message, failure), options);
    this.path = failure.path;
    this.withoutValue = describe(message, { ...failure, value: undefined });
  }
}

/** A result of the expressions does not fit the output schema; counted at the step OutputValidation. */
export class OutputValidationError extends Error {
  override readonly name = 'OutputValidationError';
  readonly path: string;
  /** The message without the offending value. */
  readonly withoutValue: string;
  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(describe(message, failure), options);
    this.path = failure.path;
    this.withoutValue = describe(message, { ...failure, value: undefined });
  }
}
