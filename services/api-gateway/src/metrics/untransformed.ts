import { PIPELINE_STEPS, type PipelineMetrics, type PipelineNumbers } from '@penstock/contracts';

const isOfTransformation = PIPELINE_STEPS.map(
  (step) => step === 'Transformation' || step === 'OutputValidation',
);

const numbersOf = <Numbers extends PipelineNumbers>(numbers: Numbers): Numbers => ({
  ...numbers,
  passed: numbers.passed.map((count, step) => (isOfTransformation[step] === true ? 0 : count)),
});

/** The metrics of a pipeline that writes events as they are: it has neither a transformation nor an output to validate. */
export const untransformed = (metrics: PipelineMetrics): PipelineMetrics => ({
  ...metrics,
  total: numbersOf(metrics.total),
  points: metrics.points.map(numbersOf),
});
