import { Injectable } from '@nestjs/common';
import { ALERT_WEBHOOK, maskSettings } from '@penstock/connectors';
import type { AlertView, NotificationView, Sealed, WorkspaceId } from '@penstock/contracts';
import { Seals } from '@penstock/runtime';
import { isJsonObject, type Json, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import type { AlertMember } from '../openapi/components/alerts';

const numberJson = (value: number | null): Json => (value === null ? null : jsonInteger(value));

/** Converts alerts for answers and commands: the webhook is sealed on the log, its secret masked in answers. */
@Injectable()
export class AlertRecords {
  constructor(private readonly seals: Seals) {}

  /** @throws SealBroken, KeyErased */
  show({ alertKind, ...view }: AlertView, workspace: WorkspaceId): JsonObject {
    const webhook = parseJson(this.seals.open(view.webhook, workspace));
    if (!isJsonObject(webhook)) throw new TypeError(`the webhook of ${view.id} is no object`);
    return jsonObject<AlertMember>({
      ...view,
      kind: alertKind,
      version: jsonInteger(view.version),
      threshold: numberJson(view.threshold),
      window: numberJson(view.window),
      webhook: maskSettings(ALERT_WEBHOOK, webhook),
    });
  }

  seal(webhook: JsonObject, workspace: WorkspaceId): Sealed {
    return this.seals.seal(writeJson(webhook), workspace);
  }
}

/** A notification in answers. */
export const notificationJson = (view: NotificationView): JsonObject =>
  jsonObject<keyof NotificationView>({
    ...view,
    attempts: jsonInteger(view.attempts),
    status: numberJson(view.status),
  });
