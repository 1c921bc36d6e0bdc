import { type Instant, REPLAY_MODES, type ReplayMode } from '@penstock/contracts';
import { JsonNumber, type JsonObject } from '@penstock/schema';
import { malformed } from '../http/read-json';
import { instantIn } from '../http/rfc-3339';
import { EXAMPLE_TIME } from '../openapi/components/answer';
import { Example, schemaOf } from '../openapi/schema/members';
import { CreatePipelineDto } from '../pipelines/pipeline.dto';
import {
  AnObject,
  IsBoolean,
  IsInteger,
  OneOf,
  Optional,
  OptionalOrNull,
  Time,
} from '../validation/shape';

/** Greatest version that a pipeline can have. */
const MAX_VERSION = 2_147_483_647;

@Example({ from: '2026-02-28T00:00:00.000Z', to: EXAMPLE_TIME, mode: 'shadow' })
export class CreateReplayDto {
  @Time() readonly from!: string;

  @Time() readonly to!: string;

  @OneOf(...REPLAY_MODES) readonly mode!: ReplayMode;

  @OptionalOrNull() @AnObject('Filter') readonly filter?: JsonObject | null;

  @OptionalOrNull() @IsInteger(1, MAX_VERSION) readonly version?: JsonNumber | null;

  @OptionalOrNull() @AnObject(schemaOf(CreatePipelineDto)) readonly draft?: JsonObject | null;

  @Optional() @IsBoolean() readonly dryRun?: boolean;
}

/**
 * The times of a window.
 *
 * @throws Refusal BadRequest when it ends before it begins.
 */
export const windowOf = ({
  from,
  to,
}: Pick<CreateReplayDto, 'from' | 'to'>): { readonly from: Instant; readonly to: Instant } => {
  const [first, end] = [instantIn(from), instantIn(to)];
  if (first === undefined || end === undefined) throw malformed('/from', 'must be a time');
  if (first < end) return { from: first, to: end };
  throw malformed('/to', 'must be later than from');
};

/** The version that is wanted. @throws Refusal BadRequest when a draft is given too, or is to be delivered. */
export const versionOf = ({
  mode,
  version = null,
  draft = null,
}: Pick<CreateReplayDto, 'mode' | 'version' | 'draft'>): number | null => {
  if (mode === 'deliver' && draft !== null)
    throw malformed('/draft', 'cannot be delivered: update the pipeline, then replay its version');
  if (version === null) return null;
  if (draft !== null) throw malformed('/draft', 'cannot be replayed together with a version');
  return Number(version.text);
};
