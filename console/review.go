package console

func (c *Console) reviewRoutes() {}
