import { Injectable } from '@nestjs/common';
import type {
  ResolutionSettingsView,
  SetResolutionSettings,
  WorkspaceId,
} from '@penstock/contracts';
import { Seals } from '@penstock/runtime';
import { type Json, parseJson } from '@penstock/schema';
import { sealedLists, type SetResolutionSettingsDto } from './resolution-settings.dto';

/** Converts settings of resolutions for answers and commands: blocked values are sealed on the log. */
@Injectable()
export class ResolutionRecords {
  constructor(private readonly seals: Seals) {}

  /** @throws SealBroken, KeyErased */
  show(
    { version: _, blockedValues, ...settings }: ResolutionSettingsView,
    workspace: WorkspaceId,
  ): Json {
    const lists = Object.entries(blockedValues).map(
      ([path, sealed]) =>
        [path, JSON.parse(this.seals.open(sealed, workspace)) as readonly string[]] as const,
    );
    return parseJson(JSON.stringify({ ...settings, blockedValues: Object.fromEntries(lists) }));
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
