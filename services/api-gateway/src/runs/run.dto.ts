import { SCHEDULE_PERIODS, type SchedulePeriod } from '@penstock/contracts';
import { Example } from '../openapi/schema/members';
import { OneOf, OptionalOrNull, OrNull, IsBoolean } from '../validation/shape';

@Example({ period: '1h' })
export class SetScheduleDto {
  @OrNull() @OneOf(...SCHEDULE_PERIODS) readonly period!: SchedulePeriod | null;
}

@Example({ incremental: true })
export class RunPipelineDto {
  @OptionalOrNull() @IsBoolean() readonly incremental?: boolean | null;
}
