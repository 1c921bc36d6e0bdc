import { ALERT_KINDS, type AlertKind, MAX_ALERT_LAG_SECONDS } from '@penstock/contracts';
import type { JsonNumber, JsonObject } from '@penstock/schema';
import { Example } from '../openapi/schema/members';
import {
  AnObject,
  Characters,
  IsBoolean,
  IsInteger,
  OneOf,
  Optional,
  OptionalOrNull,
  Text,
} from '../validation/shape';

/** Checks the shape only; the pipeline service checks what an alert of a kind may have, and the webhook. */
@Example({ name: 'Shop fails' })
export class UpdateAlertDto {
  @Characters(1, 100) readonly name!: string;

  @Optional() @IsBoolean() readonly enabled?: boolean;

  @OptionalOrNull() @Text() readonly connection?: string | null;

  @OptionalOrNull() @Text() readonly pipeline?: string | null;

  @OptionalOrNull() @IsInteger(1, MAX_ALERT_LAG_SECONDS) readonly threshold?: JsonNumber | null;

  @OptionalOrNull() @IsInteger(5, 60) readonly window?: JsonNumber | null;

  /** Absent: unchanged. */
  @Optional() @AnObject('AlertWebhook') readonly webhook?: JsonObject;
}

@Example({
  name: 'Shop fails',
  kind: 'health',
  webhook: { url: 'https://example.com/alerts', signingSecret: 'a secret of 16 or more' },
})
export class CreateAlertDto {
  @Characters(1, 100) readonly name!: string;

  /** Default: true. */
  @Optional() @IsBoolean() readonly enabled?: boolean;

  @OneOf(...ALERT_KINDS) readonly kind!: AlertKind;

  @OptionalOrNull() @Text() readonly connection?: string | null;

  @OptionalOrNull() @Text() readonly pipeline?: string | null;

  @OptionalOrNull() @IsInteger(1, MAX_ALERT_LAG_SECONDS) readonly threshold?: JsonNumber | null;

  @OptionalOrNull() @IsInteger(5, 60) readonly window?: JsonNumber | null;

  @AnObject('AlertWebhook') readonly webhook!: JsonObject;
}

const numberOf = (given: JsonNumber | null | undefined): number | null =>
  given == null ? null : Number(given.text);

/** What a create and an update have in common, as a command has it. */
export const inputOf = ({
  name,
  enabled,
  connection = null,
  pipeline = null,
  threshold,
  window,
}: Omit<UpdateAlertDto, 'webhook'>) => ({
  name,
  ...(enabled !== undefined && { enabled }),
  connection,
  pipeline,
  threshold: numberOf(threshold),
  window: numberOf(window),
});
