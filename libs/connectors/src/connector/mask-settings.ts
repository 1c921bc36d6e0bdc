import { mask } from '@penstock/settings';
import type { CheckedSettings, Settings } from './connector';

/** The same settings with every secret replaced by dots and its last four characters. */
export const maskSettings = ({ settings: form }: CheckedSettings, settings: Settings): Settings =>
  form.mapSecrets(settings, mask) as Settings;
