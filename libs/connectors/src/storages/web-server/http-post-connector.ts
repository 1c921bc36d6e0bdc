import { checkedBy } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { httpPostDestination } from './http-post-destination';
import { webServerForm } from './web-server-settings';

/** A web server that takes files by POST requests. */
export const httpPostConnector: Connector = {
  code: 'http-post',
  label: 'HTTP POST',
  ...fileStorageRole({ destination: 'Posts users to a web server, as files.' }),
  settings: webServerForm,
  checkSettings: checkedBy(webServerForm),
  fileDestination: httpPostDestination,
};
