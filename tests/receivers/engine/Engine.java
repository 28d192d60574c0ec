import java.util.List;
import java.util.Map;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One node on loopback, until standard input ends. Arguments: its folder, the port of HTTP, that between nodes. */
class Engine extends Node {
    Engine(Environment environment) {
        super(environment, List.of(Netty4Plugin.class), true);
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", arguments[0])
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", arguments[2])
            .put("discovery.type", "single-node")
            .put("cluster.name", "cormorant")
            .put("node.name", "engine")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        LogConfigurator.configureWithoutConfig(settings);
        Engine engine = new Engine(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "engine"));
        engine.start();
        System.out.println("started");
        while (System.in.read() >= 0) { }
        engine.close();
    }
}
