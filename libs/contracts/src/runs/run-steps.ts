/** The steps of every pipeline, in their order; `passed` and `failed` of a run have an entry for each. */
export const RUN_STEPS = [
  'Receive',
  'InputValidation',
  'Filter',
  'Transformation',
  'OutputValidation',
  'Finalize',
] as const;

/** A step of a pipeline. */
export type RunStep = (typeof RUN_STEPS)[number];

/** Numbers of records by step, in the order of {@link RUN_STEPS}: always six. */
export type StepCounts = readonly number[];
