export { BrokerNode } from './broker-node';
export { freePorts } from './free-ports';
export { installKafka } from './install-kafka';
export { withInstallLock } from './install-lock';
export { type Cluster, type ClusterOptions, startBroker, startCluster } from './start-cluster';
