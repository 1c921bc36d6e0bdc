import { checkedBy, members } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { filesystemDestination } from './filesystem-destination';
import { filesystemStorage } from './filesystem-storage';

const form = members();

/**
 * Files of the machines on which the services run.
 *
 * @param root folder below which the files are, for all workspaces of the installation.
 */
export const filesystemConnector = (root: string): Connector => ({
  code: 'filesystem',
  label: 'File system',
  ...fileStorageRole({
    source: 'Reads users from files of the servers that Penstock runs on.',
    destination: 'Writes users to files of the servers that Penstock runs on.',
  }),
  settings: form,
  checkSettings: checkedBy(form),
  fileStorage: filesystemStorage(root),
  fileDestination: filesystemDestination(root),
});
