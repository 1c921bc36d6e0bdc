import { SCHEDULE_PERIODS, type SchedulePeriod } from '@penstock/contracts';
import { OneOf, OptionalOrNull, OrNull, TrueOrFalse } from '../http/shape';

export class SetScheduleDto {
  @OrNull() @OneOf(...SCHEDULE_PERIODS) readonly period!: SchedulePeriod | null;
}

export class RunPipelineDto {
  @OptionalOrNull() @TrueOrFalse() readonly incremental?: boolean | null;
}
