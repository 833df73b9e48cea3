/**
 * Whether an address is reached from its own machine only.
 *
 * Names are not looked up, because what they stand for can change: of names only `localhost` counts.
 */

import { isIPv4, isIPv6 } from "node:net";

export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  if (isIPv6(host)) return /^(?:(?:0{0,4}:){1,7}0{0,3}1|(?:::ffff:)127\.\d+\.\d+\.\d+)$/i.test(host);
  return host.toLowerCase() === "localhost";
}
