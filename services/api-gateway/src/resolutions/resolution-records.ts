import { Injectable } from '@nestjs/common';
import type {
  ResolutionSettingsView,
  SetResolutionSettings,
  WorkspaceId,
} from '@penstock/contracts';
import { Seals } from '@penstock/runtime';
import { type Json, parseJson } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { sealedLists, type SetResolutionSettingsDto } from './resolution-settings.dto';

/** Converts settings of resolutions for answers and commands: blocked values are sealed on the log. */
@Injectable()
export class ResolutionRecords {
  constructor(private readonly seals: Seals) {}

  /** @throws SealBroken, KeyErased */
  show(
    { version: _, blockedValues, identifiers, ...settings }: ResolutionSettingsView,
    workspace: WorkspaceId,
  ): Json {
    const lists = Object.entries(blockedValues).map(
      ([path, sealed]) => [path, parseJson(this.seals.open(sealed, workspace))] as const,
    );
    return jsonObject({
      ...settings,
      identifiers: [...identifiers],
      blockedValues: new Map(lists),
    });
  }

  /** @throws Refusal BadRequest */
  wanted(
    { runOnBatchImport, identifiers, eventDelay, blockedValues }: SetResolutionSettingsDto,
    workspace: WorkspaceId,
  ): SetResolutionSettings {
    const seal = (plain: string): string => this.seals.seal(plain, workspace);
    return {
      runOnBatchImport,
      identifiers,
      ...(eventDelay !== undefined && {
        eventDelay: eventDelay === null ? null : Number(eventDelay.text),
      }),
      ...(blockedValues !== undefined && { blockedValues: sealedLists(blockedValues, seal) }),
    };
  }
}
