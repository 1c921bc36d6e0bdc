import { checkedBy } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { sftpDestination } from './sftp-destination';
import { sftpForm } from './sftp-settings';
import { sftpStorage } from './sftp-storage';

/** Files of a server that speaks SFTP. */
export const sftpConnector: Connector = {
  code: 'sftp',
  label: 'SFTP',
  ...fileStorageRole({
    source: 'Reads users from files of an SFTP server.',
    destination: 'Writes users to files of an SFTP server.',
  }),
  settings: sftpForm,
  checkSettings: checkedBy(sftpForm),
  fileStorage: sftpStorage,
  fileDestination: sftpDestination,
};
